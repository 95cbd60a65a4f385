/** A ship's wheel. */
export const Logo = ({ className }: { className?: string }) => (
  <svg viewBox="0 0 32 32" aria-hidden="true" className={className}>
    <rect width="32" height="32" rx="8" fill="var(--accent)" />
    <g fill="none" stroke="var(--accent-ink)" strokeWidth="2" strokeLinecap="round">
      <circle cx="16" cy="16" r="6.5" />
      <circle cx="16" cy="16" r="1.6" fill="var(--accent-ink)" stroke="none" />
      <path d="M16 6v7M16 19v7M6 16h7M19 16h7M8.9 8.9l4.6 4.6M18.5 18.5l4.6 4.6M23.1 8.9l-4.6 4.6M13.5 18.5l-4.6 4.6" />
    </g>
  </svg>
)
