import { EmptyState } from '@/components/shared/feedback/empty-state'
import { SignOutButton } from './sign-out'

export const NoWorkspace = ({ email }: { email: string }) => (
  <main className="mx-auto max-w-xl py-24">
    <EmptyState title="No workspaces yet" action={<SignOutButton />}>
      You are signed in as {email}. Ask an administrator to add you to a workspace, then reload this page.
    </EmptyState>
  </main>
)
