import { useQuery } from '@tanstack/react-query'
import { Button, Form } from 'antd'
import { getPublicInfo } from '../../../server/contract/auth/sign-in.ts'
import { type ChatProvider, providerLabels } from '../../../server/contract/shared/providers.ts'
import { callQuery } from '../../api.ts'
import { DetailItem, DetailList } from '../../components/details/detail-list.tsx'
import { useCurrentUser } from '../../session.ts'
import styles from './platform.module.css'

type DemoApp = { readonly corp_id: string; readonly app_id: string; readonly agent_id: string; readonly secret: string }
/** The label of each value; undefined for what the platform's console does not have. */
type Labels = { readonly [name in keyof DemoApp]?: string | null | undefined }

/** In a demo there is no console to copy from: shows the application of the simulated platform, and enters it. */
export function DemoAppHint({ provider, labels }: { provider: ChatProvider; labels: Labels }) {
  const form = Form.useFormInstance<DemoApp>()
  const isDemo = useQuery({ ...callQuery(getPublicInfo, {}), staleTime: Number.POSITIVE_INFINITY }).data?.demo
  const company_id = useCurrentUser()?.corp.corp_id
  const { data: response } = useQuery({
    queryKey: ['demo-app', provider, company_id],
    queryFn: async (): Promise<{ app: DemoApp | null }> => (await fetch(`/dev/platform-app/${provider}/${company_id}`)).json(),
    enabled: isDemo === true && company_id !== undefined,
  })
  const data = response?.app
  if (!data) return null
  const names = (['corp_id', 'app_id', 'agent_id', 'secret'] as const).filter((name) => labels[name])
  return (
    <section className={styles.demo} aria-label="演示用的应用">
      <div className={styles.head}>
        <p>{`演示：用这些信息绑定模拟的${providerLabels[provider]}`}</p>
        <Button size="small" onClick={() => form.setFieldsValue(Object.fromEntries(names.map((name) => [name, data[name]])))}>
          填入
        </Button>
      </div>
      <DetailList>
        {names.map((name) => (
          <DetailItem key={name} name={labels[name] ?? ''} long>
            {data[name]}
          </DetailItem>
        ))}
      </DetailList>
    </section>
  )
}
