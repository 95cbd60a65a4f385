'use client'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Dialog } from '@/components/ui/dialog'

export type MadeToken = { name: string; token: string }

const boxed = 'flex items-start gap-2 rounded-md border bg-sunken px-3 py-2 font-mono text-xs'

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
      <p className={boxed}>
        <span className="min-w-0 flex-1 select-all break-all">{made?.token}</span>
        <CopyButton value={made?.token ?? ''} what="token" />
      </p>
      <h3 className="mt-4 mb-1 font-medium text-xs">Try it</h3>
      <p className={boxed}>
        <span className="min-w-0 flex-1 break-all">{command}</span>
        <CopyButton value={command} what="command" />
      </p>
      <div className="mt-4 flex justify-end">
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}
