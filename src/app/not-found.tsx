import { useEffect } from 'react'
import { EmptyState } from '../components/state/empty-state.tsx'

/** The 404 page, without shell, with a link back. */
export function NotFound() {
  // React does not manage the window title.
  useEffect(() => {
    document.title = '没有找到这个页面 · 薪函'
  }, [])
  const isMobile = /^\/m(\/|$)/i.test(location.pathname)
  return (
    <main style={{ display: 'grid', placeItems: 'center', minHeight: '100vh' }}>
      <EmptyState
        illustration="search"
        text={
          <>
            <strong style={{ display: 'block', fontSize: 20 }}>没有找到这个页面</strong>
            页面不存在或已移除。
          </>
        }
        action={
          <div className="ui-row">
            <button type="button" className="ui-button" onClick={() => history.back()}>
              返回上一页
            </button>
            <a className="ui-button" href={isMobile ? '/m/slips' : '/landing'}>
              回到首页
            </a>
          </div>
        }
      />
    </main>
  )
}
