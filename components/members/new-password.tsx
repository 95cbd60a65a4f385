'use client'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Dialog } from '@/components/ui/dialog'

export type ShownPassword = { email: string; value: string }

/** Shows a generated password once; it is not stored. */
export const NewPassword = ({ password, onClose }: { password: ShownPassword | undefined; onClose: () => void }) => (
  <Dialog
    open={password !== undefined}
    onOpenChange={onClose}
    title="New password"
    description={`For ${password?.email ?? ''}. Shown only once and not stored. Pass it on securely.`}
  >
    <p className="flex items-center gap-2 rounded-md border bg-sunken px-3 py-2 font-mono text-base">
      <span className="min-w-0 flex-1 select-all break-all">{password?.value}</span>
      <CopyButton value={password?.value ?? ''} what="password" />
    </p>
    <div className="mt-4 flex justify-end">
      <Button variant="primary" onClick={onClose}>
        Done
      </Button>
    </div>
  </Dialog>
)
