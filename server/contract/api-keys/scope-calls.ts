/**
 * The calls of each scope of an API key. A key is refused everywhere else. Sending by key keeps every check of the
 * calls: the spot checks, and the approval by a second administrator, who is a person.
 */
import {
  getBatch,
  listBatches,
  listDeliveries,
  planBatch,
  scheduleBatch,
  sendBatchTest,
  sendPlannedBatch,
  withdrawBatch,
} from '../api-v1/batches.ts'
import { listDepartments, listEmployees, terminateEmployee, upsertDepartments, upsertEmployees } from '../api-v1/employees.ts'
import { getApiKey } from '../api-v1/key.ts'
import { getPayslip, listPayslipReceipts, listPayslips, listTaxResults } from '../api-v1/payslips.ts'
import {
  answerWageSheet,
  checkWageSheet,
  getWageSheet,
  listWageSheetIssues,
  resolveWageSheetIssues,
  uploadWageSheet,
} from '../api-v1/wage-sheets.ts'
import { createWebhook, listWebhooks, removeWebhook, replayEvents, sendTestEvent } from '../api-v1/webhooks.ts'
import type { Call } from '../call.ts'
import { answerImport, getImport, getImportRows, importMemberFile, uploadMembers } from '../directory/import.ts'
import { getDepartList, getMemberInfo, getMemberList, getSonDepartList } from '../directory/members.ts'
import { getBatchList, getSendInfo, getWageDetail, getWageList } from '../payslips/send.ts'
import { getSendApproval, requestSendApproval } from '../payslips/send-approval.ts'
import { doSend, getSendOptions, getSendPlan, sendPaySheet } from '../payslips/send-plan.ts'
import { chartData, getAveragewageDetail, getYearList, getYearSalaryCharts } from '../reports/charts.ts'
import { checkWageData, dealWithSalaryList } from '../sheets/check.ts'
import { getUploadProgress } from '../sheets/grid.ts'
import { checkRequireColumnData, getTitleInfo, insertBatchTitle, uploadWageExcel } from '../sheets/sheet.ts'
import {
  deleteWebhook,
  getWebhookLog,
  getWebhooks,
  redeliverWebhook,
  replayWebhookEvents,
  rotateWebhookSecret,
  saveWebhook,
  testWebhook,
} from '../webhooks/webhooks.ts'
import { type ApiKeyScope, apiKeyScopes } from './api-keys.ts'

const workCalls: Readonly<Record<ApiKeyScope, readonly Call[]>> = {
  'roster.read': [getDepartList, getSonDepartList, getMemberList, getMemberInfo, listEmployees, listDepartments],
  'roster.write': [
    importMemberFile,
    getImport,
    getImportRows,
    answerImport,
    uploadMembers,
    upsertEmployees,
    terminateEmployee,
    upsertDepartments,
  ],
  'sheets.write': [
    uploadWageExcel,
    getUploadProgress,
    getTitleInfo,
    insertBatchTitle,
    checkRequireColumnData,
    checkWageData,
    dealWithSalaryList,
    uploadWageSheet,
    getWageSheet,
    answerWageSheet,
    checkWageSheet,
    listWageSheetIssues,
    resolveWageSheetIssues,
  ],
  'payslips.send': [
    getSendOptions,
    getSendPlan,
    sendPaySheet,
    requestSendApproval,
    getSendApproval,
    doSend,
    getSendInfo,
    planBatch,
    sendBatchTest,
    sendPlannedBatch,
    scheduleBatch,
    withdrawBatch,
    getBatch,
  ],
  'payslips.read': [
    getWageList,
    getBatchList,
    getWageDetail,
    getSendInfo,
    listBatches,
    getBatch,
    listDeliveries,
    listPayslips,
    getPayslip,
    listPayslipReceipts,
  ],
  'reports.read': [getYearList, chartData, getAveragewageDetail, getYearSalaryCharts, listTaxResults],
  webhooks: [
    getWebhooks,
    saveWebhook,
    rotateWebhookSecret,
    deleteWebhook,
    testWebhook,
    getWebhookLog,
    redeliverWebhook,
    replayWebhookEvents,
    listWebhooks,
    createWebhook,
    removeWebhook,
    sendTestEvent,
    replayEvents,
  ],
}

/** Every key may read what it is. */
export const scopeCalls = Object.fromEntries(
  apiKeyScopes.map((scope) => [scope, [...workCalls[scope], getApiKey]]),
) as unknown as Readonly<Record<ApiKeyScope, readonly Call[]>>

/** The scopes of which one allows the call. */
export const getCallScopes = (call: Call): readonly ApiKeyScope[] =>
  apiKeyScopes.filter((scope) => scopeCalls[scope].includes(call))
