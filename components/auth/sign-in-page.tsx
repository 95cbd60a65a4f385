import type { ReactNode } from 'react'
import { Logo } from '@/components/ui/logo'
import { SignInByLink } from './sign-in-by-link'
import { SignInForm } from './sign-in-form'

type SignInPageProps = {
  callbackUrl?: string
  error?: string
  isSessionEnded: boolean
  hasSingleSignOn: boolean
  hasPasskeys: boolean
  byLink: boolean
  byPassword: boolean
}

export const SignInPage = ({ byLink, byPassword, ...props }: SignInPageProps) => (
  <AuthFrame title="Sign in">
    {byLink ? <SignInByLink error={props.error} /> : null}
    {byLink && byPassword ? <hr className="my-5" /> : null}
    {byPassword ? <SignInForm {...props} error={byLink ? undefined : props.error} /> : null}
  </AuthFrame>
)

/** A page without navigation, before or instead of the console. */
export const AuthFrame = ({ title, children }: { title: string; children: ReactNode }) => (
  <main className="grid min-h-dvh place-items-center bg-[radial-gradient(56rem_28rem_at_50%_-6rem,var(--accent-soft),transparent)] px-4 py-12">
    <div className="w-full max-w-sm pb-[8vh]">
      <div className="mb-6 flex items-center gap-2.5">
        <Logo className="size-8" />
        <div>
          <p className="font-semibold text-lg leading-tight tracking-tight">Pilothouse</p>
          <p className="text-ink-2 text-xs">The console for agent deployments</p>
        </div>
      </div>
      <div className="rounded-lg border bg-panel p-6 shadow-pop">
        <h1 className="mb-4 font-semibold text-lg">{title}</h1>
        {children}
      </div>
    </div>
  </main>
)
