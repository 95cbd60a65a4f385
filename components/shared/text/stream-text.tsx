import { memo, useState } from 'react'
import { BlockGroups } from './block-groups'
import { TextBlocks } from './text-blocks'
import { VisibleText } from './visible-text'

/** Text that may still be growing, as it is: line ends kept, nothing interpreted. Only its last block is redrawn. */
export function StreamText({ text, className }: { text: string; className?: string }) {
  // Kept outside React on purpose: what was cut before must not be cut again with each token.
  const [cutter] = useState(() => new TextBlocks())
  return (
    <div dir="auto" className={className}>
      <BlockGroups blocks={cutter.update(text)} Block={Block} />
    </div>
  )
}

const Block = memo(function Block({ block }: { block: string }) {
  return (
    <div className="whitespace-pre-wrap break-words [overflow-wrap:anywhere]">
      <VisibleText>{block}</VisibleText>
    </div>
  )
})
