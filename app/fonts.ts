import { GeistMono } from 'geist/font/mono'
import localFont from 'next/font/local'

const inter = localFont({
  src: '../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
  variable: '--font-inter',
  weight: '100 900',
})

/** Both fonts come from npm packages, so nothing is fetched at build or run time. */
export const fontClasses = `${inter.variable} ${GeistMono.variable}`
