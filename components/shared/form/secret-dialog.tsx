'use client'
import type { ReactNode } from 'react'
import { CopyBox } from '@/components/shared/text/copy-box'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'

type Props = {
  title: string
  description: string
  value: string
  /** Names the value for its copy button. */
  what: string
  onClose: () => void
  className?: string
  children?: ReactNode
}

/** Shows the secret of something that was just created, or its ID; `children` say how to use it. */
export const SecretDialog = ({ title, description, value, what, onClose, className, children }: Props) => (
  <Dialog open onOpenChange={onClose} title={title} description={description} className={className}>
    {/* At the Close button, a second Enter would lose the secret. */}
    <CopyBox value={value} what={what} autoFocus />
    {children}
    <div className="mt-4 flex justify-end">
      <Button variant="primary" onClick={onClose}>
        Done
      </Button>
    </div>
  </Dialog>
)
