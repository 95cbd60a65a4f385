'use client'
import { CopyBox } from '@/components/shared/text/copy-box'
import { Button } from '@/components/ui/button'
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
    <CopyBox value={password?.value ?? ''} what="password" />
    <div className="mt-4 flex justify-end">
      <Button variant="primary" onClick={onClose}>
        Done
      </Button>
    </div>
  </Dialog>
)
