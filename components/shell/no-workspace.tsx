import { EmptyState } from '@/components/shared/feedback/empty-state'
import { SignOutButton } from './sign-out-button'

export const NoWorkspace = ({ email }: { email: string }) => (
  <main className="mx-auto max-w-xl py-24">
    <EmptyState title="You are a member of no workspace" action={<SignOutButton />}>
      You are signed in as {email}. Ask an administrator to give you a role in a workspace, then reload this page.
    </EmptyState>
  </main>
)
