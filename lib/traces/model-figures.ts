/** `isProvisional`: as the console received it, or as far as a trace tells that goes on. Shown with ≈. */
export type ModelFigure = { value: number; isProvisional: boolean; from: 'trace' | 'recording' }
export type ModelFigures = { [name in 'firstToken' | 'tokens' | 'tokensIn' | 'tokensOut']: ModelFigure | undefined }

/** What a trace told of a run, `open` as long as it may tell more. */
type Traced = {
  firstTokenMs?: number | undefined
  tokens?: number | undefined
  tokensIn?: number | undefined
  tokensOut?: number | undefined
  trace?: 'open' | 'ended' | undefined
}

type Recorded = {
  firstTokenMs?: number | undefined
  usage?: { input: number; output: number; total: number } | undefined
}

/**
 * What the models of a run took. A trace decides, because it is the same for every reader and knows the calls that were not
 * streamed; what it does not tell comes from the recording, if there is one.
 */
export function modelFigures(traced: Traced | undefined, { firstTokenMs, usage }: Recorded = {}): ModelFigures {
  const fromTrace = (value: number | undefined): ModelFigure | undefined =>
    value === undefined ? undefined : { value, isProvisional: traced?.trace !== 'ended', from: 'trace' }
  const fromRecording = (value: number | undefined): ModelFigure | undefined =>
    value === undefined ? undefined : { value, isProvisional: true, from: 'recording' }
  // Not zero: the models said nothing, or their answers were not recorded.
  const counted = traced?.tokens === undefined && usage && usage.total > 0 ? usage : undefined
  return {
    firstToken: fromTrace(traced?.firstTokenMs) ?? fromRecording(firstTokenMs),
    tokens: fromTrace(traced?.tokens) ?? fromRecording(counted?.total),
    tokensIn: fromTrace(traced?.tokensIn) ?? fromRecording(counted?.input),
    tokensOut: fromTrace(traced?.tokensOut) ?? fromRecording(counted?.output),
  }
}
