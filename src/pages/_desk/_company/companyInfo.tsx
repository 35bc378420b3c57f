import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import { getServiceList } from '../../../../server/contract/agency/agency.ts'
import { getApiKeys } from '../../../../server/contract/api-keys/api-keys.ts'
import type { CallOutput, CallRequest } from '../../../../server/contract/call.ts'
import { getCompanyInfo, saveCompanyInfo } from '../../../../server/contract/company/company.ts'
import { saveMailbox } from '../../../../server/contract/payslips/mailbox.ts'
import { getWebhooks } from '../../../../server/contract/webhooks/webhooks.ts'
import { callQuery, useCallMutation } from '../../../api.ts'
import { DetailItem, DetailList } from '../../../components/details/detail-list.tsx'
import { FormField } from '../../../components/form/desktop-field.tsx'
import { FormDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { SectionTabs } from '../../../components/page/section-tabs.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { formatDate } from '../../../components/value/dates.ts'
import { AgencyServices } from '../../../features/agency/serving-list.tsx'
import { ApiKeySettings } from '../../../features/api-keys/api-keys.tsx'
import styles from '../../../features/auth/account/account.module.css'
import { CompanyLogoSetting } from '../../../features/company/picture/company-logo-setting.tsx'
import { MailSetting } from '../../../features/payslips/setting/mail-setting.tsx'
import { SettingsGroup } from '../../../features/payslips/setting/setting-row.tsx'
import { RetentionSettings } from '../../../features/retention/retention-settings.tsx'
import { WebhookSettings } from '../../../features/webhooks/webhooks.tsx'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'
import { useCanAccess, useCurrentUser, useIsAgency } from '../../../session.ts'

type CompanyDetails = CallOutput<typeof getCompanyInfo>

export const Route = createFileRoute('/_desk/_company/companyInfo')({
  staticData: { title: '基本信息', section: 'message', who: { powers: ['1'], companyType: 'any' } },
  loader: ({ route }) => prefetchPage(route, () => prefetchQuery(callQuery(getCompanyInfo, {}))),
  component: CompanyInfo,
})

/** The company's details and its logo. */
function CompanyInfo() {
  const companyResult = useQuery(callQuery(getCompanyInfo, {}))
  // The details as of when the dialog was opened, so that changes saved by someone else in the meantime are not
  // overwritten unnoticed.
  const [edited, setEdited] = useState<CompanyDetails>()
  const info = companyResult.data
  const canAccess = useCanAccess()
  const currentUser = useCurrentUser()
  // An agency's menu has an entry for its chat platform.
  const isAgency = useIsAgency()
  const [canSeeServices, canSeeWebhooks] = [canAccess(getServiceList.access), canAccess(getWebhooks.access)]
  const canSeeApiKeys = canAccess(getApiKeys.access) && currentUser?.agency_service === null
  const canSetMailbox = canAccess(saveMailbox.access)
  return (
    <div className={`ui-page ${styles.page}`}>
      {!isAgency && <SectionTabs section="company" at="info" />}
      <PageHeader
        title="基本信息"
        action={
          info && (
            <Button type="primary" onClick={() => setEdited(info)}>
              修改
            </Button>
          )
        }
      />
      {info ? (
        <section className={`ui-card ${styles.card}`} aria-labelledby="company-name">
          <h2 id="company-name">{info.name}</h2>
          <CompanyLogoSetting logo={info.logo} />
          <CompanyDetailList info={info} />
        </section>
      ) : (
        <section className="ui-card">
          {companyResult.error ? (
            <ErrorState error={companyResult.error} retry={() => void companyResult.refetch()} />
          ) : (
            <Skeleton rows={8} />
          )}
        </section>
      )}
      {canSeeServices && <AgencyServices />}
      {canSetMailbox && (
        <SettingsGroup title="通知员工">
          <MailSetting />
        </SettingsGroup>
      )}
      {canSeeWebhooks && <WebhookSettings />}
      <RetentionSettings />
      {canSeeApiKeys && <ApiKeySettings />}
      {edited && (
        <CompanyInfoDialog info={edited} onSettled={() => void companyResult.refetch()} onClose={() => setEdited(undefined)} />
      )}
    </div>
  )
}

const CompanyDetailList = ({ info }: { info: CompanyDetails }) => (
  <DetailList>
    <DetailItem name="统一社会信用代码（税号）" wide>
      {info.credit_code}
    </DetailItem>
    <DetailItem name="地址" wide>
      {info.address}
    </DetailItem>
    <DetailItem name="所属行业">{info.industry}</DetailItem>
    <DetailItem name="联系人">{info.contact_name}</DetailItem>
    <DetailItem name="联系电话">{info.contact_phone}</DetailItem>
    <DetailItem name="联系邮箱">{info.contact_email}</DetailItem>
    <DetailItem name="在职员工">{`${info.people} 人`}</DetailItem>
    <DetailItem name="开通日期">{formatDate(info.created_at)}</DetailItem>
  </DetailList>
)

type CompanyInfoForm = Omit<CallRequest<typeof saveCompanyInfo>, 'revision'>

function CompanyInfoDialog({ info, onSettled, onClose }: { info: CompanyDetails; onSettled: () => void; onClose: () => void }) {
  const save = useCallMutation(saveCompanyInfo, {
    handles: (error) => error.field !== undefined,
    onSuccess: () => toast.success('企业信息已更新'),
    // After a conflict the refetched data shows what the other administrator wrote.
    onSettled,
  })
  const { revision, logo: _logo, created_at: _at, people: _people, ...initial } = info
  return (
    <FormDialog<CompanyInfoForm>
      open
      title="修改企业信息"
      action="保存"
      initial={initial}
      onSubmit={(values) => save.mutateAsync({ ...values, revision })}
      onClose={onClose}
    >
      <FormField
        name="name"
        label="企业名称"
        help="员工在工资条和短信里看到的名称"
        required="请填写企业名称"
        maxLength={50}
        autoComplete="organization"
      />
      <FormField
        name="credit_code"
        label="统一社会信用代码（税号）"
        help="营业执照上的 18 位代码，开具发票时使用"
        maxLength={30}
      />
      <FormField name="industry" label="所属行业" maxLength={30} placeholder="例如：软件和信息技术服务业" />
      <FormField name="address" label="地址" maxLength={200} autoComplete="street-address" />
      <FormField name="contact_name" label="联系人" maxLength={30} />
      <FormField name="contact_phone" label="联系电话" kind="tel" maxLength={30} placeholder="例如：010-62345678" />
      <FormField name="contact_email" label="联系邮箱" kind="email" maxLength={100} placeholder="例如：hr@example.com" />
    </FormDialog>
  )
}
