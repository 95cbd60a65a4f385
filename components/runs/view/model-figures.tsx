import { Figure } from '@/components/shared/layout/section-header'
import { count, duration } from '@/lib/format/format'

type Props = {
  firstToken?: number
  firstTokenTitle?: string
  tokens?: number
  tokensTitle?: string
  /** In place of a value that is not known. */
  unknown?: string
}

/** What a run's models took. The room for the values is kept free, so that nothing moves when they arrive. */
export const ModelFigures = ({ firstToken, firstTokenTitle, tokens, tokensTitle, unknown = '–' }: Props) => (
  <>
    <Figure label="First token" title={firstTokenTitle}>
      <span className="min-w-11">{firstToken === undefined ? unknown : duration(firstToken)}</span>
    </Figure>
    <Figure label="Tokens" title={tokensTitle}>
      <span className="min-w-11">{tokens ? count(tokens) : unknown}</span>
    </Figure>
  </>
)
