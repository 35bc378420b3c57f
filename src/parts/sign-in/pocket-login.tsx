/** The login page of a phone: what is inside the frame of /m. */
import { useEffect, useState } from 'react'
import { farewell, signedOut } from '../../browser.ts'
import { entryFrom } from '../entry/page-asked.ts'
import { Panel } from './panel.tsx'
import { afterSignIn, type Corp } from './sign-in.ts'

/** In place of this page: the phone's back button does not lead to a form. */
const enter = (corp: Corp | undefined) => location.replace(afterSignIn(corp, 'employee', location.search))

export function PocketLogin() {
  const [entry] = useState(() => entryFrom(navigator, location.search, farewell.reason === signedOut))
  // Another page of the whole window.
  useEffect(() => {
    if (entry) location.replace(entry)
  }, [entry])
  if (entry)
    return (
      <main className="pocket-login">
        <output>正在登录…</output>
      </main>
    )
  return (
    <main className="pocket-login">
      <img src="/favicon.svg" alt="" width={44} height={44} />
      <Panel title="查看我的工资条" registerAt="/pc/page/login/login.html#register" onIn={enter} />
    </main>
  )
}
