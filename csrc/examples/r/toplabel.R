# Softmax regression on iris with the C library; toplabel.c says how to compile it.
dyn.load(paste0("toplabel", .Platform$dynlib.ext))

train <- function(X, y, C, tolerance = 1e-6) {
  m <- nlevels(y)
  fit <- .C("r_train", nrow(X), ncol(X), m, as.double(t(X)), as.integer(y) - 1L, C, tolerance,
            weights = double(ncol(X) * m), gap = double(1), status = integer(1))
  if (fit$status != 0) stop("toplabel: status ", fit$status)
  list(weights = fit$weights, levels = levels(y), gap = fit$gap)
}

predict_class <- function(model, X) {
  m <- length(model$levels)
  fit <- .C("r_predict", nrow(X), ncol(X), m, as.double(t(X)), model$weights,
            class = integer(nrow(X)), status = integer(1))
  if (fit$status != 0) stop("toplabel: status ", fit$status)
  factor(model$levels[fit$class + 1L], levels = model$levels)
}

X <- cbind(scale(as.matrix(iris[, 1:4])), 1)
model <- train(X, iris$Species, C = 1)
errors <- sum(predict_class(model, X) != iris$Species)
cat(sprintf("relative gap %.1e, %d of %d rows on the wrong side\n", model$gap, errors, nrow(X)))
stopifnot(model$gap <= 1e-6, errors <= 6)
