'use client'
import { CopyBox } from '@/components/shared/text/copy-box'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'

export type MadeToken = { name: string; token: string }

/** Shows a new token once; only a hash of it is stored. */
export function NewToken({
  made,
  origin,
  onClose,
}: {
  made: MadeToken | undefined
  origin: string
  onClose: () => void
}) {
  const command = `curl -H "Authorization: Bearer $PILOTHOUSE_TOKEN" ${origin}/api/v1/deployments`
  return (
    <Dialog
      open={made !== undefined}
      onOpenChange={onClose}
      title={`Token ${made?.name ?? ''}`}
      description="Copy it now. It is shown only once, and the console keeps no copy."
    >
      <CopyBox value={made?.token ?? ''} what="token" />
      <h3 className="mt-4 mb-1 font-medium text-xs">Try it</h3>
      <CopyBox value={command} what="command" />
      <div className="mt-4 flex justify-end">
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}
