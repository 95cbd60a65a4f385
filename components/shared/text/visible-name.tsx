import { shownText } from '@/lib/format/hidden-characters'
import { VisibleText } from './visible-text'

/**
 * A user-given name with the full text in the tooltip. Isolated from the direction of the text around it, with invisible
 * characters shown.
 */
export const VisibleName = ({ children, className }: { children: string; className?: string }) => (
  <bdi title={shownText(children)} className={className}>
    <VisibleText>{children}</VisibleText>
  </bdi>
)
