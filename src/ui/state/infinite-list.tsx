import type { ReactNode, UIEvent } from 'react'
import '../table/table.css'

/** Spec §9: the next page comes when the bottom is this near. */
const loadMoreDistance = 30

/** A list in a window of its own that asks for its next page within 30 px of the bottom, one at a time. */
export function InfiniteList(props: { label: string; more: boolean; busy: boolean; onMore: () => void; children: ReactNode }) {
  const { label, more: hasMore, busy, onMore: onLoadMore, children } = props
  const handleScroll = ({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: UIEvent<HTMLElement>) => {
    if (hasMore && !busy && scrollHeight - scrollTop - clientHeight <= loadMoreDistance) onLoadMore()
  }
  return (
    // Scrolled with the keyboard too, also where nothing in it takes the focus.
    <section className="ui-endless" aria-label={label} aria-busy={busy} tabIndex={0} onScroll={handleScroll}>
      {children}
      {hasMore && <p>{busy ? '正在加载…' : '向下滚动，查看更多'}</p>}
    </section>
  )
}
