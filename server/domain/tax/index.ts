/** Income tax: dated tables and the rules that stand on them. */
export { cumulativeTax, type Employment, type Month, type Step, withhold } from './rules/withholding.ts'
