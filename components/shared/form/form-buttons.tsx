import { Button } from '@/components/ui/button'

type Props = {
  /** The label of the button that submits. */
  verb: string
  isBusy: boolean
  /** Why it cannot be submitted. */
  reason?: string | undefined
  onClose: () => void
}

/** The last row of a form in a dialog. */
export const FormButtons = ({ verb, isBusy, reason, onClose }: Props) => (
  <div className="flex flex-wrap justify-end gap-2">
    <Button onClick={onClose}>Cancel</Button>
    <Button type="submit" variant="primary" isBusy={isBusy} reason={reason}>
      {verb}
    </Button>
  </div>
)
