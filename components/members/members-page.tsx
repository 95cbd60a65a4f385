'use client'
import { useRouter } from 'next/navigation'
import { type FormEvent, useState } from 'react'
import { toast } from '@/components/ui/toast'
import { ErrorNotice } from '@/components/shared/error-notice'
import { PageHeader } from '@/components/shared/page-header'
import { useReasons } from '@/components/shared/rights'
import { useSave } from '@/components/shared/use-save'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import { Input, Select } from '@/components/ui/input'
import { disableMember, inviteMember, resetMemberPassword, setRole } from '@/lib/actions/members'
import { ROLES, type Role } from '@/lib/contracts/api'
import type { Settled } from '@/lib/errors'

export type MemberShown = { account: string; email: string; name: string; role: Role; isEverywhere: boolean; signsInWith: string[]; isDisabled: boolean }
type MembersPageProps = { workspace: string; members: MemberShown[]; self: string; administersAccounts: boolean }

const WHOLE_CONSOLE = 'This needs the role admin of the whole console.'

export function MembersPage({ workspace, members, self, administersAccounts }: MembersPageProps) {
  const router = useRouter()
  const reason = useReasons().administer
  const [password, setPassword] = useState<{ email: string; value: string }>()
  const { error, save } = useSave<unknown>()
  const accountReason = administersAccounts ? undefined : WHOLE_CONSOLE

  const change = <T,>(write: () => Promise<Settled<T>>, said: string) =>
    void save(write, () => {
      toast.success(said)
      router.refresh()
    })
  return (
    <>
      <PageHeader title="Members" />
      <AddMember workspace={workspace} reason={reason} onPassword={setPassword} />
      {error ? <ErrorNotice error={error} className="mb-3" /> : null}
      <div className="overflow-x-auto rounded-lg border bg-panel">
        <table aria-label="Members" className="w-full text-left">
          <thead>
            <tr className="border-b bg-sunken/60 text-ink-3 text-xs">
              <th className="h-8 px-3 font-medium">Account</th>
              <th className="px-3 font-medium">Role</th>
              <th className="hidden px-3 font-medium sm:table-cell">Signs in with</th>
              <th className="px-3 font-medium">
                <span className="sr-only">What can be done</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {members.map((member) => (
              <tr key={`${member.account} ${member.isEverywhere}`} className="border-b last:border-b-0">
                <td className="max-w-64 px-3 py-2">
                  <span className="block truncate font-medium" title={member.email}>
                    {member.email} {member.account === self ? <span className="font-normal text-ink-3">(you)</span> : null}
                  </span>
                  {member.isDisabled ? <Badge className="text-error">disabled</Badge> : null}
                </td>
                <td className="px-3 py-2">
                  {member.isEverywhere ? (
                    <span>
                      {member.role} <Badge>whole console</Badge>
                    </span>
                  ) : (
                    <Select
                      aria-label={`Role of ${member.email}`}
                      className="w-auto"
                      value={member.role}
                      disabled={Boolean(reason)}
                      title={reason}
                      onChange={(event) => {
                        const role = event.target.value === 'none' ? null : (event.target.value as Role)
                        change(() => setRole({ workspace, account: member.account, role }), role ? `${member.email} is now ${role}.` : `${member.email} is no member any more.`)
                      }}
                    >
                      {ROLES.map((role) => (
                        <option key={role}>{role}</option>
                      ))}
                      <option value="none">remove from the workspace</option>
                    </Select>
                  )}
                </td>
                <td className="hidden px-3 py-2 text-ink-2 sm:table-cell">{member.signsInWith.join(', ') || 'nothing yet'}</td>
                <td className="px-3 py-2">
                  <span className="flex justify-end gap-1">
                    <Button
                      size="sm"
                      variant="ghost"
                      reason={accountReason}
                      onClick={() =>
                        void save(
                          () => resetMemberPassword({ account: member.account }),
                          (data) => setPassword({ email: member.email, value: (data as { password: string }).password }),
                        )
                      }
                    >
                      New password
                    </Button>
                    <Button
                      size="sm"
                      variant="ghost"
                      reason={member.account === self ? 'You cannot disable your own account.' : accountReason}
                      onClick={() =>
                        change(
                          () => disableMember({ account: member.account, isDisabled: !member.isDisabled }),
                          member.isDisabled ? `${member.email} may sign in again.` : `${member.email} is disabled; open sessions have ended.`,
                        )
                      }
                    >
                      {member.isDisabled ? 'Enable' : 'Disable'}
                    </Button>
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Dialog open={password !== undefined} onOpenChange={() => setPassword(undefined)} title="The new password" description={`For ${password?.email ?? ''}. It is shown this once and kept nowhere.`}>
        <p className="flex items-center gap-2 rounded-md border bg-sunken px-3 py-2 font-mono text-base">
          <span className="min-w-0 flex-1 select-all break-all">{password?.value}</span>
          <CopyButton value={password?.value ?? ''} what="password" />
        </p>
      </Dialog>
    </>
  )
}

type AddMemberProps = { workspace: string; reason?: string; onPassword: (password: { email: string; value: string }) => void }

function AddMember({ workspace, reason, onPassword }: AddMemberProps) {
  const router = useRouter()
  const { isBusy, error, fieldError, save } = useSave<{ account: string; password: string | null }>()
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const element = event.currentTarget
    const form = new FormData(element)
    const email = String(form.get('email'))
    void save(
      () => inviteMember({ workspace, email, role: form.get('role') as Role }),
      ({ password }) => {
        element.reset()
        router.refresh()
        if (password) onPassword({ email, value: password })
        else toast.success(`${email} is a member now.`)
      },
    )
  }
  return (
    <form onSubmit={submit} className="mb-4 flex flex-wrap items-end gap-2">
      <Field id="member-email" label="Email" className="w-64" error={fieldError('email')}>
        <Input id="member-email" name="email" type="email" required autoComplete="off" />
      </Field>
      <Field id="member-role" label="Role">
        <Select id="member-role" name="role" defaultValue="viewer">
          {ROLES.map((role) => (
            <option key={role}>{role}</option>
          ))}
        </Select>
      </Field>
      <Button type="submit" isBusy={isBusy} reason={reason}>
        Add member
      </Button>
      {error && !fieldError('email') ? <ErrorNotice error={error} className="w-full" /> : null}
    </form>
  )
}
