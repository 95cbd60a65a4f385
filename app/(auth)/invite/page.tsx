import type { Metadata } from 'next'
import { InvitationForm } from '@/components/auth/invitation-form'
import { AuthFrame } from '@/components/auth/sign-in-page'

export const metadata: Metadata = { title: 'Invitation' }

export default function Page() {
  return (
    <AuthFrame title="Invitation">
      <InvitationForm />
    </AuthFrame>
  )
}
