import { createFileRoute } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { detect } from '../../platform/client/index.ts'
import { providerNames } from '../../server/contract/people/providers.ts'
import { session } from '../browser.ts'
import { type Arrival, arrive, loginAt } from '../parts/entry/arrive.ts'
import styles from '../parts/entry/entry.module.css'
import { Join } from '../parts/entry/join.tsx'
import { corpAsked, forgetPage, pageAsked } from '../parts/entry/page-asked.ts'
import { Factor } from '../parts/sign-in/factor.tsx'
import signInStyles from '../parts/sign-in/sign-in.module.css'
import { afterSignIn, type Corp, useSignIn } from '../parts/sign-in/sign-in.ts'

export const Route = createFileRoute('/entry')({
  staticData: { title: '正在登录', who: 'public' },
  component: Entry,
})

/** Opened by a chat client, or by a platform's sign-in page that comes back: finds out who is there, and goes on (spec §2). */
function Entry() {
  const [arrival, setArrival] = useState<Arrival | null>(null)
  const [page] = useState(() => pageAsked(location.search))
  const begun = useRef(false)
  const signIn = useSignIn((corp: Corp | undefined) => {
    forgetPage()
    location.replace(afterSignIn(corp, innerWidth < 800 ? 'employee' : 'admin', page))
  })
  const over = () => location.replace(loginAt('expired', innerWidth, page))
  // A code is good once: the page asks once, however often it is drawn. The address is the browser's, and forgets the code at once.
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    const address = new URL(location.href)
    history.replaceState(history.state, '', '/entry')
    const goOn = async () => {
      const next = await arrive(address, detect(navigator, window), {
        ...corpAsked(address.search),
        width: innerWidth,
        page,
        isSignedIn: session.token !== null,
      })
      if (next.kind === 'leave') return location.replace(next.to)
      setArrival(next)
      if (next.kind === 'in') signIn.arrive(next.into)
    }
    void goOn()
  }, [signIn, page])

  return (
    <main className={styles.root}>
      <div className={styles.brand}>
        <img src="/favicon.svg" alt="" width={44} height={44} />
      </div>
      {signIn.factor_token ? (
        <div className={signInStyles.root}>
          <h1>两步验证</h1>
          <Factor signIn={{ ...signIn, restart: over }} />
        </div>
      ) : arrival?.kind === 'join' ? (
        <div className={signInStyles.root}>
          <h1>关联{providerNames[arrival.provider]}账号</h1>
          <Join provider={arrival.provider} bind_token={arrival.bind_token} signIn={signIn} onOver={over} />
        </div>
      ) : (
        <output className={styles.wait}>{signIn.trouble ? signIn.trouble.text : '正在登录…'}</output>
      )}
    </main>
  )
}
