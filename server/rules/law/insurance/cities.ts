/** Published schemes as initial data; a company stores its own ones besides. Cities with a missing value are omitted (§11). */
import cities from '../tables/cities.json' with { type: 'json' }
import { type InsuranceScheme, readSchemes } from './scheme.ts'

export const publishedSchemes: readonly InsuranceScheme[] = readSchemes(cities, 'cities')
export const getCitySchemes = (city: string): InsuranceScheme[] => publishedSchemes.filter((one) => one.city === city)
