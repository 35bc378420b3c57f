import { createFileRoute } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { detectChatHost } from '../../platform/client/index.ts'
import { providerLabels } from '../../server/contract/shared/providers.ts'
import { session } from '../browser.ts'
import styles from '../features/auth/entry/entry.module.css'
import { clearReturnPage, getEntryCompany, getReturnPage } from '../features/auth/entry/entry-params.ts'
import { type EntryResult, getLoginUrl, handleEntry } from '../features/auth/entry/handle-entry.ts'
import { LinkPhoneForm } from '../features/auth/entry/link-phone.tsx'
import { SecondFactorForm } from '../features/auth/sign-in/factor.tsx'
import signInStyles from '../features/auth/sign-in/sign-in.module.css'
import { getUrlAfterSignIn, useSignIn } from '../features/auth/sign-in/sign-in.ts'
import type { SignInCompany } from '../features/auth/sign-in/types.ts'

export const Route = createFileRoute('/entry')({
  staticData: { title: '正在登录', who: 'public' },
  component: EntryPage,
})

/** Entry page for chat clients and for the return from a platform's sign-in page: identifies the user and redirects (spec §2). */
function EntryPage() {
  const [result, setResult] = useState<EntryResult | null>(null)
  const [page] = useState(() => getReturnPage(location.search))
  const isStarted = useRef(false)
  const signIn = useSignIn((company: SignInCompany | undefined) => {
    clearReturnPage()
    location.replace(getUrlAfterSignIn(company, innerWidth < 800 ? 'employee' : 'admin', page))
  })
  const redirectExpired = () => location.replace(getLoginUrl('expired', innerWidth, page))
  // A code is valid once, so the page sends it once, however often it renders. The code is removed from the address
  // immediately.
  useEffect(() => {
    if (isStarted.current) return
    isStarted.current = true
    const address = new URL(location.href)
    history.replaceState(history.state, '', '/entry')
    const processEntry = async () => {
      const next = await handleEntry(address, detectChatHost(navigator, window), {
        ...getEntryCompany(address.search),
        width: innerWidth,
        page,
        isSignedIn: session.token !== null,
      })
      if (next.kind === 'leave') return location.replace(next.to)
      setResult(next)
      if (next.kind === 'in') signIn.handleResult(next.into)
    }
    void processEntry()
  }, [signIn, page])

  return (
    <main className={styles.root}>
      <div className={styles.brand}>
        <img src="/favicon.svg" alt="" width={44} height={44} />
      </div>
      {signIn.factor_token ? (
        <div className={signInStyles.root}>
          <h1>两步验证</h1>
          <SecondFactorForm signIn={{ ...signIn, restart: redirectExpired }} />
        </div>
      ) : result?.kind === 'join' ? (
        <div className={signInStyles.root}>
          <h1>关联{providerLabels[result.provider]}账号</h1>
          <LinkPhoneForm
            provider={result.provider}
            binding_token={result.binding_token}
            signIn={signIn}
            onOver={redirectExpired}
          />
        </div>
      ) : (
        <output className={styles.wait}>{signIn.formError ? signIn.formError.text : '正在登录…'}</output>
      )}
    </main>
  )
}
