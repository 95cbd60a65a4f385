import 'server-only'

/** Below this the estimator calls a password guessable, even where each guess costs a slow hash. */
const MIN_GUESSES = 1e8
/** Estimating takes time that grows with the square of the length; so many characters decide. */
const MAX_CHARS = 64

const shared = globalThis as { pilothouseEstimator?: Promise<(password: string, context: string[]) => number> }

/** Loaded on first use: the list has 49,000 passwords. */
async function loadEstimator() {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
  return (password: string, context: string[]) => estimator.check(password, context).guesses
}

/**
 * Whether a password is common, also with a few characters changed or added, or made of `context`: the account's address
 * and name.
 */
export async function isCommonPassword(password: string, context: string[]): Promise<boolean> {
  shared.pilothouseEstimator ??= loadEstimator()
  const estimate = await shared.pilothouseEstimator
  const parts = context.map((text) => text.split(/[^\p{L}\p{N}]/u))
  const words = ['pilothouse', ...context, ...parts.flat(), ...parts.map((part) => part.join(''))]
  return estimate(password.normalize('NFKC').slice(0, MAX_CHARS), words.filter(Boolean)) < MIN_GUESSES
}
