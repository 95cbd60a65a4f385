'use client'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Dialog } from '@/components/ui/dialog'

export type ShownPassword = { email: string; value: string }

/** A generated password, this once: it is kept nowhere. */
export const NewPassword = ({ password, onClose }: { password: ShownPassword | undefined; onClose: () => void }) => (
  <Dialog
    open={password !== undefined}
    onOpenChange={onClose}
    title="The new password"
    description={`For ${password?.email ?? ''}. It is shown this once and kept nowhere; pass it on safely.`}
  >
    <p className="flex items-center gap-2 rounded-md border bg-sunken px-3 py-2 font-mono text-base">
      <span className="min-w-0 flex-1 select-all break-all">{password?.value}</span>
      <CopyButton value={password?.value ?? ''} what="password" />
    </p>
    <div className="mt-4 flex justify-end">
      <Button variant="primary" onClick={onClose}>
        I have kept it
      </Button>
    </div>
  </Dialog>
)
