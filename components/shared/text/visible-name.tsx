import { shownText } from '@/lib/format/hidden-characters'
import { VisibleText } from './visible-text'

/** A name that somebody gave, whole on hover: apart from the text around it, whichever way it is written, and with nothing hidden. */
export const VisibleName = ({ children, className }: { children: string; className?: string }) => (
  <bdi title={shownText(children)} className={className}>
    <VisibleText>{children}</VisibleText>
  </bdi>
)
