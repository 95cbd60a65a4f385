import { type ClassValue, clsx } from 'clsx'

/** Joins class names. Where two say the same thing, the stylesheet's order decides: a default is written with `base:`. */
export const cn = (...classes: ClassValue[]): string => clsx(classes)
