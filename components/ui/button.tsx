import { cva, type VariantProps } from 'class-variance-authority'
import { type ComponentProps, cloneElement, isValidElement } from 'react'
import { cn } from '@/lib/cn'
import { Spinner } from './loading'

export const buttonStyle = cva(
  'inline-flex shrink-0 select-none items-center whitespace-nowrap base:justify-center base:gap-1.5 rounded-md font-medium transition-colors disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:cursor-not-allowed aria-disabled:opacity-50 [&_svg]:size-3.5 [&_svg]:shrink-0',
  {
    variants: {
      variant: {
        primary: 'bg-accent text-accent-ink hover:bg-accent/90',
        secondary: 'border border-line-strong bg-panel text-ink hover:bg-hover',
        ghost: 'hover:bg-hover hover:text-ink base:text-ink-2',
        danger: 'border border-error/40 bg-panel text-error hover:bg-error-soft',
      },
      size: {
        sm: 'text-xs base:h-7 base:px-2',
        md: 'text-sm base:h-8 base:px-3',
        lg: 'text-base base:h-10 base:px-4',
        icon: 'base:size-7',
      },
    },
    defaultVariants: { variant: 'secondary', size: 'md' },
  },
)

type ButtonProps = ComponentProps<'button'> &
  VariantProps<typeof buttonStyle> & {
    /** Gives its looks to its only child, a link, whose own props win. */
    asChild?: boolean
    isBusy?: boolean
    /** Why the button is disabled. It stays focusable, so that everyone can read the reason. */
    reason?: string
  }

export function Button({
  className,
  variant,
  size,
  asChild,
  isBusy,
  reason,
  disabled,
  children,
  onClick,
  type,
  ...rest
}: ButtonProps) {
  const style = cn(buttonStyle({ variant, size }), className)
  if (asChild) {
    if (!isValidElement<{ className?: string }>(children)) return null
    const { className: own, ...props } = children.props
    return cloneElement(children, { ...rest, ...props, className: cn(style, own) })
  }
  const isBlocked = Boolean(reason) || isBusy
  return (
    <button
      type={type ?? 'button'}
      className={style}
      disabled={disabled && !reason}
      aria-disabled={isBlocked || undefined}
      aria-busy={isBusy || undefined}
      title={reason}
      onClick={isBlocked ? (event) => event.preventDefault() : onClick}
      {...rest}
    >
      {isBusy ? <Spinner /> : null}
      {children}
    </button>
  )
}
