import { networkLost } from '../../browser.ts'
import { Empty } from './empty.tsx'

/** What an error tells about itself, whichever kind it is. */
const numberOf = (error: unknown) =>
  typeof error === 'object' && error !== null && 'request_id' in error ? String(error.request_id ?? '') : ''

/** The sentence of a toast says to load the page anew; here a button does it. */
function textOf(error: unknown, mayRetry: boolean): string {
  const said = error instanceof Error && /[一-龥]/.test(error.message) ? error.message : null
  if (said === networkLost && mayRetry) return '没有加载出来，请检查网络后重试。'
  return said ?? '页面出了问题，请刷新后重试'
}

/** Something could not be loaded: what happened, a retry, and the number that finds it in the log. */
export function ErrorState({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const number = numberOf(error)
  return (
    <div role="alert">
      <Empty
        drawing="broken"
        text={textOf(error, retry !== undefined)}
        action={
          <>
            {retry && (
              <button type="button" className="ui-button" onClick={retry}>
                重试
              </button>
            )}
            {number && <span className="ui-hint">问题编号 {number}</span>}
          </>
        }
      />
    </div>
  )
}
