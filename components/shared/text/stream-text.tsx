import { memo, useState } from 'react'
import { BlockGroups } from './block-groups'
import { TextBlocks } from './text-blocks'
import { VisibleText } from './visible-text'

/** Plain text that may still be growing, with its line breaks. Only its last block renders again. */
export function StreamText({ text, className }: { text: string; className?: string }) {
  // Mutable state, so that earlier blocks are not split again with each token.
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
