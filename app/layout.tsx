import type { Metadata, Viewport } from 'next'
import { headers } from 'next/headers'
import { connection } from 'next/server'
import { fontClasses } from '@/app/fonts'
import { NonceProvider } from '@/components/shared/layout/nonce'
import { BUTTON_PRESSES_SCRIPT } from '@/components/shell/early/button-presses'
import { FIRST_PAGE_SCRIPT } from '@/components/shell/early/first-page'
import { FORMS_SCRIPT } from '@/components/shell/early/forms'
import { KEYS_SCRIPT } from '@/components/shell/early/keys'
import { ROW_CLICKS_SCRIPT } from '@/components/shell/early/row-clicks'
import { THEME_SCRIPT } from '@/components/shell/early/theme'
import { Providers } from '@/components/shell/providers'
import { withBasePath } from '@/lib/base-path'
import { env } from '@/lib/server/process/env'
import './globals.css'

const DESCRIPTION = 'The open web console for agent deployments'

/** Absolute addresses come from the configured public address, never from a request's headers. */
export async function generateMetadata(): Promise<Metadata> {
  await connection() // the build has no environment to read
  return {
    metadataBase: new URL(env().NEXTAUTH_URL),
    title: { default: 'Pilothouse', template: '%s · Pilothouse' },
    description: DESCRIPTION,
    applicationName: 'Pilothouse',
    manifest: withBasePath('/manifest.webmanifest'),
    icons: {
      icon: [
        { url: withBasePath('/icon.svg'), type: 'image/svg+xml', media: '(prefers-color-scheme: light)' },
        { url: withBasePath('/icon-dark.svg'), type: 'image/svg+xml', media: '(prefers-color-scheme: dark)' },
      ],
      apple: withBasePath('/apple-touch-icon.png'),
    },
    openGraph: { title: 'Pilothouse', description: DESCRIPTION, type: 'website', images: SOCIAL },
    twitter: { card: 'summary_large_image', images: SOCIAL },
  }
}
const SOCIAL = [{ url: '/social.png', width: 1200, height: 630, alt: 'Pilothouse' }]

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#ffffff' },
    { media: '(prefers-color-scheme: dark)', color: '#12181f' },
  ],
}

const EARLY_SCRIPTS = [
  THEME_SCRIPT,
  ROW_CLICKS_SCRIPT,
  BUTTON_PRESSES_SCRIPT,
  KEYS_SCRIPT,
  FORMS_SCRIPT,
  FIRST_PAGE_SCRIPT,
]

export default async function RootLayout({ children }: LayoutProps<'/'>) {
  await connection() // a prerendered page has no nonce, so its scripts would be blocked
  const nonce = (await headers()).get('x-nonce') ?? ''
  return (
    // The script below sets the theme before hydration, keeps early presses, keys and forms, and shows the page as soon as it has come.
    <html lang="en" className={fontClasses} suppressHydrationWarning>
      <head>
        <script nonce={nonce} suppressHydrationWarning>
          {EARLY_SCRIPTS.join(';')}
        </script>
      </head>
      <body className="min-h-dvh font-sans text-ink">
        <NonceProvider value={nonce}>
          <Providers>{children}</Providers>
        </NonceProvider>
      </body>
    </html>
  )
}
