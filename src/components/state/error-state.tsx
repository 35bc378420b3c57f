import { networkErrorMessage } from '../../browser.ts'
import { EmptyState } from './empty-state.tsx'

const getRequestId = (error: unknown) =>
  typeof error === 'object' && error !== null && 'request_id' in error ? String(error.request_id ?? '') : ''

/** The toast message asks to reload the page; here a button does that. */
function getErrorText(error: unknown, canRetry: boolean): string {
  const message = error instanceof Error && /[一-龥]/.test(error.message) ? error.message : null
  if (message === networkErrorMessage && canRetry) return '没有加载出来，请检查网络后重试。'
  return message ?? '页面出了问题，请刷新后重试'
}

/** Something could not be loaded: the message, a retry button, and the id for finding it in the log. */
export function ErrorState({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const requestId = getRequestId(error)
  return (
    <div role="alert">
      <EmptyState
        illustration="broken"
        text={getErrorText(error, retry !== undefined)}
        action={
          <>
            {retry && (
              <button type="button" className="ui-button" onClick={retry}>
                重试
              </button>
            )}
            {requestId && <span className="ui-hint">问题编号 {requestId}</span>}
          </>
        }
      />
    </div>
  )
}
