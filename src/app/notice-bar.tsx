import { useSyncExternalStore } from 'react'
import { getNotice, subscribeToNotice } from '../components/overlay/notice.ts'

/** The line at the foot of the window with the current notice and its retry button. */
export function NoticeBar() {
  const notice = useSyncExternalStore(subscribeToNotice, getNotice)
  return (
    <div role="status" className="ui-notice no-print">
      {notice && (
        <p>
          {notice.text}
          <button type="button" onClick={notice.retry}>
            重试
          </button>
          {notice.close && (
            <button type="button" onClick={notice.close}>
              关闭
            </button>
          )}
        </p>
      )}
    </div>
  )
}
