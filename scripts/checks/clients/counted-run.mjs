// What a run of the graph `counter` may look like after it was continued elsewhere: each attempt goes on after the newest
// stored step, so that it goes back at most once.

const backSteps = (counts) => counts.filter((count, index) => index > 0 && count <= counts[index - 1]).length

/** The steps that a run's events tell, its attempts, and how often it went back. Data may be JSON text. */
export function countsOf(events) {
  const dataOf = ({ data }) => (typeof data === 'string' ? JSON.parse(data) : data)
  const counts = events.filter(({ event }) => event === 'custom').map((one) => dataOf(one).count)
  const attempts = events.filter(({ event }) => event === 'metadata').length
  return { counts, attempts, back: backSteps(counts) }
}

/** What is wrong with the steps that a run has noted, of `until`. */
export function problemsOfSteps(steps, until, attempts) {
  const isStepwise = steps.every((step, index) => step <= (steps[index - 1] ?? 0) + 1)
  const isRight = new Set(steps).size === until && isStepwise && backSteps(steps) <= attempts - 1
  return isRight ? [] : [`did steps ${steps} in ${attempts} attempts`]
}

/** The same if a process that was paused may go on beside the one that has its run by then: no attempt does a step twice. */
export function problemsOfPausedSteps(steps, until, attempts) {
  const often = Array.from({ length: until }, (_, index) => steps.filter((step) => step === index + 1).length)
  const isRight = often.every((times) => times >= 1 && times <= attempts) && steps.every((step) => step <= until)
  return isRight ? [] : [`did steps ${steps} in ${attempts} attempts`]
}
