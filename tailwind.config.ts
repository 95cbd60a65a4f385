import type { Config } from 'tailwindcss'

const token = (name: string) => `var(--${name})`

/** Names for the tokens in app/globals.css. Colour only shows state, and always with an icon and a word. */
export default {
  darkMode: ['class', '[data-theme="dark"]'],
  theme: {
    extend: {
      colors: {
        page: token('page'),
        panel: token('panel'),
        sunken: token('sunken'),
        hover: token('hover'),
        line: token('line'),
        'line-strong': token('line-strong'),
        ink: token('ink'),
        'ink-2': token('ink-2'),
        'ink-3': token('ink-3'),
        accent: token('accent'),
        'accent-ink': token('accent-ink'),
        'accent-soft': token('accent-soft'),
        ok: token('ok'),
        'ok-soft': token('ok-soft'),
        progress: token('progress'),
        'progress-soft': token('progress-soft'),
        warn: token('warn'),
        'warn-soft': token('warn-soft'),
        error: token('error'),
        'error-soft': token('error-soft'),
      },
      fontFamily: { sans: 'var(--font-inter)', mono: 'var(--font-geist-mono)' },
      fontSize: {
        '2xs': ['11px', '16px'],
        xs: ['12px', '16px'],
        sm: ['13px', '20px'],
        base: ['14px', '20px'],
        lg: ['16px', '24px'],
        xl: ['20px', '28px'],
      },
      boxShadow: { pop: '0 1px 2px rgb(0 0 0 / 0.06), 0 8px 24px rgb(0 0 0 / 0.12)' },
      borderRadius: { sm: '4px', md: '6px', lg: '8px' },
    },
  },
} satisfies Config
