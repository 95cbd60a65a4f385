'use client'
import { SecretDialog } from '@/components/shared/form/secret-dialog'
import { CopyBox } from '@/components/shared/text/copy-box'

export type MadeToken = { name: string; token: string }

type Props = { made: MadeToken; origin: string; onClose: () => void }

/** Shows a new token once; only a hash of it is stored. */
export const NewToken = ({ made: { name, token }, origin, onClose }: Props) => (
  <SecretDialog
    title={`Token ${name}`}
    description="Copy it now. It is shown only once, and the console keeps no copy."
    value={token}
    what="token"
    onClose={onClose}
  >
    <h3 className="mt-4 mb-1 font-medium text-xs">Try it</h3>
    <CopyBox value={`curl -H "Authorization: Bearer $PILOTHOUSE_TOKEN" ${origin}/api/v1/deployments`} what="command" />
  </SecretDialog>
)
