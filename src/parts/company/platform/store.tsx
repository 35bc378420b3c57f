import { Button } from 'antd'
import type { OutputOf } from '../../../../server/contract/call.ts'
import type { getPlatformInfo } from '../../../../server/contract/people/binding.ts'
import { installPlatform } from '../../../../server/contract/people/installing.ts'
import { providerNames } from '../../../../server/contract/people/providers.ts'
import { useCall } from '../../../api.ts'
import styles from './platform.module.css'

type Store = OutputOf<typeof getPlatformInfo>['stores'][number]

/** Our application in the platform's store: installed there, and the company comes back bound. */
export function StoreInstall({ store: { provider, here, page } }: { store: Store }) {
  const name = providerNames[provider]
  const begin = useCall(installPlatform, { onSuccess: ({ url }) => location.assign(url) })
  const go = (how: 'install' | 'claim') => begin.mutate({ provider, how })
  return (
    <div className={styles.store}>
      {here ? (
        <p className="ui-hint">{`由${name}管理员授权安装，回来就绑定好，不用复制密钥。`}</p>
      ) : (
        <p className="ui-hint">{`由${name}管理员安装，再用同一个账号回到这里认领，不用复制密钥。`}</p>
      )}
      <div className="ui-row">
        {here ? (
          <Button type="primary" loading={begin.isPending} onClick={() => go('install')}>
            {`安装到${name}`}
          </Button>
        ) : (
          page && (
            <Button type="primary" href={page} target="_blank" rel="noopener noreferrer">
              {`去${name}安装`}
            </Button>
          )
        )}
        <Button disabled={begin.isPending} onClick={() => go('claim')}>
          已安装，认领
        </Button>
      </div>
    </div>
  )
}
