'use client'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { jsonText } from '@/lib/json/value'
import { type CreateBody, masked } from './create-request'

type CreateReviewProps = { body: CreateBody; isBusy: boolean; onSend: () => void; onClose: () => void }

/** The request that will be sent, without secret values. */
export const CreateReview = ({ body, isBusy, onSend, onClose }: CreateReviewProps) => (
  <Dialog
    open
    onOpenChange={() => isBusy || onClose()}
    title={`Create ${body.name}`}
    description="This request will be sent. Secret values are included but not shown."
    className="w-[min(40rem,calc(100vw-2rem))]"
  >
    <div className="flex flex-col gap-3">
      <p className="font-mono text-xs">POST /v2/deployments</p>
      <section aria-label="Request">
        <pre className="whitespace-pre-wrap break-all rounded-md border bg-sunken p-3 font-mono text-xs">
          {jsonText(masked(body))}
        </pre>
      </section>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose} disabled={isBusy}>
          Cancel
        </Button>
        <Button variant="primary" isBusy={isBusy} onClick={onSend}>
          Create deployment
        </Button>
      </div>
    </div>
  </Dialog>
)
