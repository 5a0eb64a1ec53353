/**
 * Acronyms that stand in sentences where names stand: "Ask QA", "HR said". No frequent given name in capitals, such as EVA or SAM. Some
 * are rare ones (NAT, MAC), so none is removed after the label of a person.
 */
export const acronyms: ReadonlySet<string> = new Set(
  [
    // Roles.
    'CDO CEO CFO CHRO CIO CISO CMO COO CPO CRO CSO CTO SVP EVP AVP VP AE BDR CSM CSR DBA EA PM PMO PO QE RN SDE SDET SDR SME SRE SWE TPM',
    // Departments and teams.
    'BI DEV DEVOPS HR HRBP ICT IT L&D MRI NOC OPS PR QA R&D SEC SECOPS SOC UI UX ER ICU',
    // Programs, networks and formats.
    'AI API AWS CD CDN CI CLI CMS CRM CSS CSV DNS ERP GCP GUI HTML IAM IDE IP JSON JWT LAN LLM LMS MAC MFA ML NAT ORM OTP PDF PHP RBAC SDK SIEM SQL SSH SSL SSO TLS VM VPC VPN VPS WAN XML YAML',
    // Services of clouds and clusters, and their parts.
    'ACM AKS ALB AMI ARN ASG CNI CRD CSI DLQ EBS EC2 ECR ECS EFS EKS ELB EMR GCS GKE HPA IRSA KEDA KMS MSK NLB OIDC OPA PVC RDS S3 SAML SES SNS SQS SSM STS VPA WAF',
    // Numbers of people and things.
    'BIC BSN CPF CNPJ CURP DNI DOB EIN IBAN ITIN MRN NHS NIE NIF NIP NIR PESEL RFC SIREN SIRET SSN TIN UTR VIN',
    // Business.
    'B2B B2C BAFA DMV DSGVO EOD ETA FAQ FYI GDPR HMRC IRS KPI MVP NDA OKR OOO POC PTO RFI RFP RFQ RMA ROI SKU SLA SLO SOW TBD TSA VAT WFH WOZ',
    // Medicine.
    'ADHD BMI CABG CBC CHF CKD COPD CT CVA DVT ECG EEG EKG GERD HTN IBS KHK LDL MRT OCD PCOS PTSD STEMI TIA UTI VHF',
  ].flatMap((line) => line.split(' ')),
);
