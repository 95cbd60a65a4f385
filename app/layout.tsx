import type { Metadata } from 'next'
import { headers } from 'next/headers'
import { connection } from 'next/server'
import { fontClasses } from '@/app/fonts'
import { NonceProvider } from '@/components/shared/layout/nonce'
import { Providers } from '@/components/shell/providers'
import { THEME_SCRIPT } from '@/components/shell/theme'
import './globals.css'

export const metadata: Metadata = { title: { default: 'Pilothouse', template: '%s · Pilothouse' } }

export default async function RootLayout({ children }: LayoutProps<'/'>) {
  await connection() // a prerendered page has no nonce, so its scripts would be blocked
  const nonce = (await headers()).get('x-nonce') ?? ''
  return (
    // The script below sets the theme before hydration.
    <html lang="en" className={fontClasses} suppressHydrationWarning>
      <head>
        <script nonce={nonce} suppressHydrationWarning>
          {THEME_SCRIPT}
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
