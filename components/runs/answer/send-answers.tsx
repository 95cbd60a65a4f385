import { CornerDownRight } from 'lucide-react'
import type { RefObject } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { Button } from '@/components/ui/button'
import type { ErrorView } from '@/lib/errors'

type Props = {
  isOne: boolean
  /** The number of questions with an answer. */
  answered: number
  hint: string
  problem?: string
  error?: ErrorView
  isBusy: boolean
  /** Why nothing can be sent. */
  reason?: string
  onSend: () => void
  button?: RefObject<HTMLButtonElement | null>
}

/** The button that sends all answers, below what is wrong with them. */
export const SendAnswers = ({ isOne, answered, hint, problem, error, isBusy, reason, onSend, button }: Props) => (
  <>
    <div role="alert" className="text-error text-sm empty:hidden">
      {problem}
    </div>
    {error ? <ErrorNotice error={error} /> : null}
    <div className="flex flex-wrap items-center gap-3">
      <Button
        ref={button}
        variant="primary"
        isBusy={isBusy}
        reason={reason ?? (isOne || answered > 0 ? undefined : 'Answer at least one question.')}
        onClick={onSend}
      >
        <CornerDownRight aria-hidden />
        {isOne ? 'Send answer' : answered < 2 ? 'Send answers' : `Send ${answered} answers`}
      </Button>
      <span className="text-ink-3 text-xs">{hint}</span>
    </div>
  </>
)
