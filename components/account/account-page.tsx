'use client'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { ConfirmDialog } from '@/components/shared/form/confirm-dialog'
import { PageHeader } from '@/components/shared/layout/page-header'
import { SectionHeader } from '@/components/shared/layout/section-header'
import { Button } from '@/components/ui/button'
import { toast } from '@/components/ui/toast'
import { endOtherSessions } from '@/lib/actions/account'
import type { PasskeySettings } from '@/lib/contracts/passkey'
import type { SessionView } from '@/lib/contracts/session'
import { Passkeys } from './passkeys'
import { SessionsTable } from './sessions-table'

type Props = { account: string; email: string; sessions: SessionView[] }

/** The user's own account. */
export function AccountPage({ account, email, sessions, passkeys }: Props & { passkeys: PasskeySettings }) {
  const router = useRouter()
  const [isAsked, setAsked] = useState(false)
  return (
    <>
      <PageHeader title="Your account" meta={email} />
      <section aria-label="Sessions">
        <SectionHeader
          title="Sessions"
          actions={
            <Button
              reason={sessions.length > 1 ? undefined : 'You have no other sessions.'}
              onClick={() => setAsked(true)}
            >
              End all others
            </Button>
          }
        >
          <p className="mt-1 max-w-2xl text-ink-2">
            Where you are signed in. A session ends eight hours after signing in, also in use.
          </p>
        </SectionHeader>
        <SessionsTable account={account} sessions={sessions} />
      </section>
      <Passkeys settings={passkeys} />
      <ConfirmDialog
        open={isAsked}
        onOpenChange={setAsked}
        title="End all other sessions?"
        verb="End all others"
        action={() => endOtherSessions()}
        onDone={() => {
          toast.success('All other sessions ended')
          router.refresh()
        }}
      >
        You stay signed in here and are signed out everywhere else.
      </ConfirmDialog>
    </>
  )
}

/** The sessions of somebody else, for administrators of the whole console. */
export const MemberSessionsPage = ({ account, email, sessions }: Props) => (
  <>
    <PageHeader title="Sessions" meta={email}>
      <p className="mt-1 max-w-2xl text-ink-2">
        Where this account is signed in. To keep somebody out, disable the account on the members page.
      </p>
    </PageHeader>
    <SessionsTable account={account} sessions={sessions} />
  </>
)
