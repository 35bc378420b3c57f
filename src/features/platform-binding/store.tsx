import { Button } from 'antd'
import type { CallOutput } from '../../../server/contract/call.ts'
import type { getPlatformInfo } from '../../../server/contract/platform-binding/binding.ts'
import { installPlatform } from '../../../server/contract/platform-binding/install.ts'
import { providerLabels } from '../../../server/contract/shared/providers.ts'
import { useCallMutation } from '../../api.ts'
import styles from './platform.module.css'

type AppStore = CallOutput<typeof getPlatformInfo>['stores'][number]

/** Our application in the platform's store: after the installation there, the company returns bound. */
export function StoreInstallCard({ store: { provider, installs_here: isAvailable, page } }: { store: AppStore }) {
  const name = providerLabels[provider]
  const startInstall = useCallMutation(installPlatform, { onSuccess: ({ url }) => location.assign(url) })
  const start = (mode: 'install' | 'claim') => startInstall.mutate({ provider, mode })
  return (
    <div className={styles.store}>
      {isAvailable ? (
        <p className="ui-hint">{`由${name}管理员授权安装，回来就绑定好，不用复制密钥。`}</p>
      ) : (
        <p className="ui-hint">{`由${name}管理员安装，再用同一个账号回到这里认领，不用复制密钥。`}</p>
      )}
      <div className="ui-row">
        {isAvailable ? (
          <Button type="primary" loading={startInstall.isPending} onClick={() => start('install')}>
            {`安装到${name}`}
          </Button>
        ) : (
          page && (
            <Button type="primary" href={page} target="_blank" rel="noopener noreferrer">
              {`去${name}安装`}
            </Button>
          )
        )}
        <Button disabled={startInstall.isPending} onClick={() => start('claim')}>
          已安装，认领
        </Button>
      </div>
    </div>
  )
}
