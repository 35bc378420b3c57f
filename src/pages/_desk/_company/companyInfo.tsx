import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import { Button, Form } from 'antd'
import { useState } from 'react'
import type { AskOf, OutputOf } from '../../../../server/contract/call.ts'
import { getServiceList } from '../../../../server/contract/corp/agency.ts'
import { companyInfo, saveCompanyInfo } from '../../../../server/contract/corp/company.ts'
import { getWebhooks } from '../../../../server/contract/wage/webhook.ts'
import { query, useCall } from '../../../api.ts'
import styles from '../../../parts/account/account.module.css'
import { Services } from '../../../parts/company/agency/serving-list.tsx'
import { CompanyMark } from '../../../parts/company/picture/company-mark.tsx'
import { Webhooks } from '../../../parts/company/webhook/webhooks.tsx'
import { begin, first } from '../../../routed/first.ts'
import { useMay } from '../../../session.ts'
import { Fact, Facts } from '../../../ui/facts/facts.tsx'
import { TextInput } from '../../../ui/form/fields.tsx'
import { FormDialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { PageHead } from '../../../ui/page/page-head.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { day } from '../../../ui/value/dates.ts'

type Info = OutputOf<typeof companyInfo>

export const Route = createFileRoute('/_desk/_company/companyInfo')({
  staticData: { title: '基本信息', section: 'message', who: { powers: ['1'], corp: 'any' } },
  loader: ({ route }) => first(route, () => begin(query(companyInfo, {}))),
  component: CompanyInfo,
})

/** What the company says about itself, and its mark. */
function CompanyInfo() {
  const asked = useQuery(query(companyInfo, {}))
  // As it stood when the dialog was opened: what somebody else saves meanwhile is not overwritten unseen.
  const [editing, setEditing] = useState<Info>()
  const info = asked.data
  const may = useMay()
  const [maySee, maySeeHooks] = [may(getServiceList.who), may(getWebhooks.who)]
  return (
    <div className={`ui-page ${styles.page}`}>
      <PageHead
        title="基本信息"
        action={
          info && (
            <>
              <Link to="/companyThird" className="ant-btn ant-btn-default">
                办公平台
              </Link>
              <Button type="primary" onClick={() => setEditing(info)}>
                修改
              </Button>
            </>
          )
        }
      />
      {info ? (
        <section className={`ui-card ${styles.card}`} aria-labelledby="company-name">
          <h2 id="company-name">{info.name}</h2>
          <CompanyMark logo={info.logo} />
          <Shown info={info} />
        </section>
      ) : (
        <section className="ui-card">
          {asked.error ? <ErrorState error={asked.error} retry={() => void asked.refetch()} /> : <Skeleton rows={8} />}
        </section>
      )}
      {maySee && <Services />}
      {maySeeHooks && <Webhooks />}
      {editing && <InfoDialog info={editing} onSettled={() => void asked.refetch()} onClose={() => setEditing(undefined)} />}
    </div>
  )
}

const Shown = ({ info }: { info: Info }) => (
  <Facts>
    <Fact name="统一社会信用代码（税号）" wide>
      {info.credit_code}
    </Fact>
    <Fact name="地址" wide>
      {info.address}
    </Fact>
    <Fact name="所属行业">{info.industry}</Fact>
    <Fact name="联系人">{info.contact_name}</Fact>
    <Fact name="联系电话">{info.contact_phone}</Fact>
    <Fact name="联系邮箱">{info.contact_email}</Fact>
    <Fact name="在职员工">{`${info.people} 人`}</Fact>
    <Fact name="开通日期">{day(info.created_at)}</Fact>
  </Facts>
)

type Values = Omit<AskOf<typeof saveCompanyInfo>, 'revision'>

function InfoDialog({ info, onSettled, onClose }: { info: Info; onSettled: () => void; onClose: () => void }) {
  const save = useCall(saveCompanyInfo, {
    handles: (error) => error.field !== undefined,
    onSuccess: () => toast.done('企业信息已更新'),
    // Refused because somebody was quicker: what he wrote is to be seen.
    onSettled,
  })
  const { revision, logo: _logo, created_at: _at, people: _people, ...initial } = info
  return (
    <FormDialog<Values>
      open
      title="修改企业信息"
      action="保存"
      initial={initial}
      onSubmit={(values) => save.mutateAsync({ ...values, revision })}
      onClose={onClose}
    >
      <Form.Item
        name="name"
        label="企业名称"
        extra="员工在工资条和短信里看到的名称"
        rules={[{ required: true, whitespace: true, message: '请填写企业名称' }]}
      >
        <TextInput limit={50} autoComplete="organization" />
      </Form.Item>
      <Form.Item name="credit_code" label="统一社会信用代码（税号）" extra="营业执照上的 18 位代码，开具发票时使用">
        <TextInput limit={30} />
      </Form.Item>
      <Form.Item name="industry" label="所属行业">
        <TextInput limit={30} placeholder="例如：软件和信息技术服务业" />
      </Form.Item>
      <Form.Item name="address" label="地址">
        <TextInput limit={200} autoComplete="street-address" />
      </Form.Item>
      <Form.Item name="contact_name" label="联系人">
        <TextInput limit={30} />
      </Form.Item>
      <Form.Item name="contact_phone" label="联系电话">
        <TextInput limit={30} inputMode="tel" placeholder="例如：010-62345678" />
      </Form.Item>
      <Form.Item name="contact_email" label="联系邮箱">
        <TextInput limit={100} inputMode="email" placeholder="例如：hr@example.com" />
      </Form.Item>
    </FormDialog>
  )
}
