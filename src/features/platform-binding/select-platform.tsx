import { Button } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../server/contract/call.ts'
import type { getPlatformInfo } from '../../../server/contract/platform-binding/binding.ts'
import { type ChatProvider, providerLabels, providers } from '../../../server/contract/shared/providers.ts'
import { CopyableDetail } from '../../components/details/copyable-detail.tsx'
import { DetailList } from '../../components/details/detail-list.tsx'
import { BindDialog } from './bind-dialog.tsx'
import styles from './platform.module.css'
import { StoreInstallCard } from './store.tsx'
import { useChatConsole } from './use-chat-console.ts'

/** Nothing is bound: offers the platforms with their requirements. */
export function PlatformSelection(props: {
  info: Pick<CallOutput<typeof getPlatformInfo>, 'addresses' | 'stores'>
  onDone: () => void
}) {
  const { info, onDone } = props
  const { addresses, stores } = info
  const isInStore = (provider: ChatProvider) => stores.some((other) => other.provider === provider)
  const [selected, setSelected] = useState<ChatProvider>()
  return (
    <>
      <ul className={styles.cards}>
        {providers.map((provider) => (
          <li key={provider} className="ui-card ui-stack">
            <h2>{providerLabels[provider]}</h2>
            {stores
              .filter((store) => store.provider === provider)
              .map((store) => (
                <StoreInstallCard key={store.provider} store={store} />
              ))}
            {isInStore(provider) && <h3 className={styles.or}>或者用企业自建应用</h3>}
            <Prerequisites provider={provider} />
            <Button type={isInStore(provider) ? 'default' : 'primary'} onClick={() => setSelected(provider)}>
              {isInStore(provider) ? '绑定自建应用' : `绑定${providerLabels[provider]}`}
            </Button>
          </li>
        ))}
      </ul>
      <section className="ui-card ui-stack" aria-labelledby="platform-addresses">
        <h2 id="platform-addresses">创建应用时要填的地址</h2>
        <DetailList>
          <CopyableDetail name="应用主页" value={addresses.home} />
          <CopyableDetail name="登录后返回的地址（重定向 URL）" value={addresses.redirect} />
          <CopyableDetail name="可信域名" value={addresses.host} />
          {addresses.server_ips.length > 0 && (
            <CopyableDetail name="服务器 IP（可信 IP、出口 IP、IP 白名单）" value={addresses.server_ips.join('\n')} />
          )}
        </DetailList>
        {addresses.server_ips.length === 0 && (
          <p className="ui-hint">平台要求登记服务器 IP 时先照常绑定，平台拒绝时会写出要登记的 IP。</p>
        )}
        <p className="ui-hint">绑定成功以后，请把应用主页换成绑定页上那个带企业标识的地址，员工从工作台打开时才能直接登录。</p>
      </section>
      {selected && <BindDialog provider={selected} onDone={onDone} onClose={() => setSelected(undefined)} />}
    </>
  )
}

function Prerequisites({ provider }: { provider: ChatProvider }) {
  const chatConsole = useChatConsole(provider)
  return (
    <ol className={styles.needs}>
      {chatConsole?.prerequisites.map((need) => (
        <li key={need}>{need}</li>
      ))}
    </ol>
  )
}
