import type { ReactNode, UIEvent } from 'react'
import '../table/table.css'

/** The distance to the bottom at which the next page loads (spec §9). */
const loadMoreDistance = 30

/** A list in its own scroll area that loads the next page within 30 px of the bottom, one at a time. */
export function InfiniteList(props: { label: string; more: boolean; busy: boolean; onMore: () => void; children: ReactNode }) {
  const { label, more: hasMore, busy, onMore: onLoadMore, children } = props
  const handleScroll = ({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: UIEvent<HTMLElement>) => {
    if (hasMore && !busy && scrollHeight - scrollTop - clientHeight <= loadMoreDistance) onLoadMore()
  }
  return (
    // Focusable, so that it can be scrolled by keyboard even if nothing in it takes the focus.
    <section className="ui-endless" aria-label={label} aria-busy={busy} tabIndex={0} onScroll={handleScroll}>
      {children}
      {hasMore && <p>{busy ? '正在加载…' : '向下滚动，查看更多'}</p>}
    </section>
  )
}
