'use client'
import { SecretDialog } from '@/components/shared/form/secret-dialog'

export type ShownPassword = { email: string; value: string }

/** Shows a generated password once; it is not stored. */
export const NewPassword = ({
  password: { email, value },
  onClose,
}: {
  password: ShownPassword
  onClose: () => void
}) => (
  <SecretDialog
    title="New password"
    description={`For ${email}. Shown only once and not stored. Pass it on securely.`}
    value={value}
    what="password"
    onClose={onClose}
  />
)
