import { type ErrorComponentProps, useMatch, useRouter } from '@tanstack/react-router'
import { CaughtError, useForgetData } from '../components/state/caught-error.tsx'
import { isLoadError, reloadOrExplain } from '../components/state/load-error.ts'

/**
 * Takes the place of a page that failed to render; menu and bars around it stay. A page that could not be loaded appears
 * here only if no page was open before it (`keep-page.ts`); it offers the way back to the document before it.
 */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const forgetData = useForgetData()
  // The desktop layout has a main element of its own around the page.
  const Area = useMatch({ from: '/_desk', shouldThrow: false }) ? 'div' : 'main'
  const hasLoadError = isLoadError(error)
  const retry = () => {
    forgetData()
    reset()
  }
  return (
    <Area style={{ display: 'grid', placeContent: 'center', justifyItems: 'center', minHeight: '60vh' }}>
      <CaughtError error={error} retry={hasLoadError ? () => void reloadOrExplain() : retry} />
      {hasLoadError && router.history.canGoBack() && (
        <button type="button" className="ui-link" onClick={() => router.history.back()}>
          返回
        </button>
      )}
    </Area>
  )
}
