import { Figure } from '@/components/shared/layout/section-header'
import { count, duration } from '@/lib/format/format'
import type { ModelFigure, ModelFigures } from '@/lib/traces/model-figures'

type Props = {
  figures: ModelFigures
  /** In place of a value that is not known. */
  unknown?: string
  unknownTitle?: string
}

/** What a run's models took. The room for the values is kept free, so that nothing moves when they arrive. */
export const RunModelFigures = ({ figures, unknown = '–', unknownTitle }: Props) => (
  <>
    <Figure label="First token" title={firstTokenTitle(figures) ?? unknownTitle}>
      <span className="min-w-14">{figureText(figures.firstToken, duration) ?? unknown}</span>
    </Figure>
    <Figure label="Tokens" title={tokensTitle(figures) ?? unknownTitle}>
      <span className="min-w-11">{figureText(figures.tokens, count) ?? unknown}</span>
    </Figure>
  </>
)

/** A figure as text; undefined if it is not known. */
export const figureText = (figure: ModelFigure | undefined, format: (value: number) => string): string | undefined =>
  figure && `${figure.isProvisional ? '≈ ' : ''}${format(figure.value)}`

export const firstTokenTitle = ({ firstToken }: ModelFigures): string | undefined =>
  firstToken && `Time to the first model output, ${sourceOf(firstToken)}.`

export const tokensTitle = ({ tokens, tokensIn, tokensOut }: ModelFigures): string | undefined =>
  tokens &&
  `Reported by the models, ${sourceOf(tokens)}${tokensIn && tokensOut ? `: ${count(tokensIn.value)} in, ${count(tokensOut.value)} out` : ''}.`

const sourceOf = ({ from, isProvisional }: ModelFigure): string =>
  from === 'recording' ? 'as the console received it' : isProvisional ? 'from the trace so far' : 'from the trace'
