import { Button } from 'antd'
import { useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import type { getPlatformInfo } from '../../../../server/contract/people/binding.ts'
import { providerNames } from '../../../../server/contract/people/providers.ts'
import { type ChatPlatform, providers } from '../../../../server/contract/words/words.ts'
import { Fact, Facts } from '../../../ui/facts/facts.tsx'
import { BindDialog } from './bind-dialog.tsx'
import styles from './platform.module.css'
import { StoreInstall } from './store.tsx'
import { needs } from './words.ts'

/** Nothing is bound: three platforms with what each of them needs. */
export function Choose(props: { info: Pick<OutputOf<typeof getPlatformInfo>, 'addresses' | 'stores'>; onDone: () => void }) {
  const { info, onDone } = props
  const { addresses, stores } = info
  const isInStore = (provider: ChatPlatform) => stores.some((one) => one.provider === provider)
  const [chosen, setChosen] = useState<ChatPlatform>()
  return (
    <>
      <ul className={styles.cards}>
        {providers.map((provider) => (
          <li key={provider} className="ui-card ui-stack">
            <h2>{providerNames[provider]}</h2>
            {stores
              .filter((store) => store.provider === provider)
              .map((store) => (
                <StoreInstall key={store.provider} store={store} />
              ))}
            {isInStore(provider) && <h3 className={styles.or}>或者用企业自建应用</h3>}
            <ol className={styles.needs}>
              {needs[provider].map((need) => (
                <li key={need}>{need}</li>
              ))}
            </ol>
            <Button type={isInStore(provider) ? 'default' : 'primary'} onClick={() => setChosen(provider)}>
              {isInStore(provider) ? '绑定自建应用' : `绑定${providerNames[provider]}`}
            </Button>
          </li>
        ))}
      </ul>
      <section className="ui-card ui-stack" aria-labelledby="platform-addresses">
        <h2 id="platform-addresses">创建应用时要填的地址</h2>
        <Facts>
          <Fact name="应用主页" wide>
            {addresses.home}
          </Fact>
          <Fact name="登录后返回的地址（重定向 URL）" wide>
            {addresses.redirect}
          </Fact>
          <Fact name="可信域名" wide>
            {addresses.host}
          </Fact>
        </Facts>
        <p className="ui-hint">绑定成功以后，请把应用主页换成绑定页上那个带企业标识的地址，员工从工作台打开时才能直接登录。</p>
      </section>
      {chosen && <BindDialog provider={chosen} onDone={onDone} onClose={() => setChosen(undefined)} />}
    </>
  )
}
